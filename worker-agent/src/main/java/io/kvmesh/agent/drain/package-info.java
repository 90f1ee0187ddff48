/** An agent that is going hands its hot chunks to those that stay. */
@NullMarked
package io.kvmesh.agent.drain;

import org.jspecify.annotations.NullMarked;
