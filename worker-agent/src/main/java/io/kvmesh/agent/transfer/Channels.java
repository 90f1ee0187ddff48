package io.kvmesh.agent.transfer;

import io.kvmesh.agent.memory.PageArena;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The ways in which the bytes of a request come over, of which one is agreed in the handshake: the
 * first of those that the requester wants and the owner serves.
 *
 * @param preferred those that may be used here, best first
 * @param arena whose file others on this host can map; empty = there is none
 */
public record Channels(List<String> preferred, Optional<PageArena> arena) {

  /** The requester copies them out of the owner's memory, and says when it has them. */
  public static final String SHM = "shm";

  /** As frames after the reply, from pages on loan; the requester says when it has them. */
  public static final String ZMQ = "zmq";

  /** As frames after the reply, from a copy; the requester says nothing. */
  static final String ZMQ_COPY = "zmq-copy";

  /** Those that can be preferred. */
  public static final List<String> ALL = List.of(SHM, ZMQ);

  /** The one that needs nothing but a network. */
  static final Channels ZMQ_ALONE = new Channels(List.of(ZMQ), Optional.empty());

  /** Forgets the arena if it has no file, and shared memory if there is no arena. */
  public Channels {
    arena = arena.filter(it -> it.identity().isPresent());
    boolean shared = arena.isPresent();
    preferred = preferred.stream().filter(it -> shared || !it.equals(SHM)).toList();
  }

  /** What this agent can serve, best first. */
  public List<String> served() {
    return preferred.contains(ZMQ)
        ? Stream.concat(preferred.stream(), Stream.of(ZMQ_COPY)).toList()
        : preferred;
  }

  /** The first that is served. */
  Optional<String> agree(List<String> wanted) {
    return wanted.stream().filter(served()::contains).findFirst();
  }

  /** Where others look for this agent's memory, and this agent for theirs. */
  Optional<Path> directory() {
    return arena.flatMap(PageArena::file).map(it -> it.toAbsolutePath().getParent());
  }
}
