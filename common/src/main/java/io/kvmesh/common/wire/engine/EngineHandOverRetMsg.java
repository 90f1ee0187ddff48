package io.kvmesh.common.wire.engine;

/**
 * Where the memory is, and the socket that the session must hold on to.
 *
 * @param socket path of a Unix socket; who sends it the session's id keeps the session for as long
 *     as the connection is open
 * @param arena path of the file in which the pages are
 * @param arenaId as its header says it
 * @param arenaBytes from the start of the file on
 * @param generationsOffset where in the file the table of generations begins
 * @param maxChunks that the session may hold, claimed and leased
 */
public record EngineHandOverRetMsg(
    String socket,
    String arena,
    String arenaId,
    long arenaBytes,
    long generationsOffset,
    int maxChunks)
    implements EngineReply {}
