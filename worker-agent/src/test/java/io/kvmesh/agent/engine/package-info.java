/** Tests of the package. */
@NullMarked
package io.kvmesh.agent.engine;

import org.jspecify.annotations.NullMarked;
