/** Tests of the transfer between agents, over real sockets on the loopback address. */
@NullMarked
package io.kvmesh.agent.transfer;

import org.jspecify.annotations.NullMarked;
