package io.kvmesh.agent.engine;

import java.nio.file.Path;

/**
 * Memory that engines on this host read and write in place.
 *
 * @param socket Unix socket, to which an engine keeps a connection
 * @param arena file in which the pages are
 * @param arenaId as its header says it
 * @param arenaBytes from the start of the file on
 * @param generationsOffset where in the file the table of generations begins
 * @param maxChunks that one session may hold, claimed and leased
 */
public record HandOverSettings(
    Path socket,
    Path arena,
    String arenaId,
    long arenaBytes,
    long generationsOffset,
    int maxChunks) {}
