/** Tests of drains. */
@NullMarked
package io.kvmesh.agent.drain;

import org.jspecify.annotations.NullMarked;
