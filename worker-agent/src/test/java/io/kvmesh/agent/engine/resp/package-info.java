@NullMarked
package io.kvmesh.agent.engine.resp;

import org.jspecify.annotations.NullMarked;
