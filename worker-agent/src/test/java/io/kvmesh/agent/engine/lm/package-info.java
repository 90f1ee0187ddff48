@NullMarked
package io.kvmesh.agent.engine.lm;

import org.jspecify.annotations.NullMarked;
