package io.kvmesh.common.zmq;

/**
 * Counters of a loop.
 *
 * @param received messages and notices handed to handlers
 * @param failures exceptions thrown by handlers, tasks and timers
 * @param refusedTasks tasks that found the queue full, or the loop closed
 * @param queuedTasks tasks that wait now
 */
public record LoopStats(long received, long failures, long refusedTasks, int queuedTasks) {}
