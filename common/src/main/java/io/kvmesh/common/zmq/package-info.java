/**
 * ZeroMQ sockets, made safe: the only package that knows JeroMQ. A socket belongs to one thread,
 * mostly that of a {@link io.kvmesh.common.zmq.SocketLoop}. What the library does wrong or leaves
 * open is dealt with here: its connect race, its receive buffers, its silent drops, its endless
 * lingering.
 */
@NullMarked
package io.kvmesh.common.zmq;

import org.jspecify.annotations.NullMarked;
