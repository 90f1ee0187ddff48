package io.kvmesh.agent.memory;

import java.util.UUID;

/**
 * An arena's file, as its owner tells others. Who finds this id in a file of that name sees the
 * memory itself: it is on the same host.
 *
 * @param fileName without its directory
 * @param arenaBytes size of the arena
 * @param id made at random with the file
 */
public record ArenaIdentity(String fileName, long arenaBytes, UUID id) {

  /** Where in the file the table of generations begins. */
  public long generationsOffset() {
    return new ArenaFileLayout(arenaBytes).tableOffset();
  }
}
