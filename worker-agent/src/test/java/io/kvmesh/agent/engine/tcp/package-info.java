@NullMarked
package io.kvmesh.agent.engine.tcp;

import org.jspecify.annotations.NullMarked;
