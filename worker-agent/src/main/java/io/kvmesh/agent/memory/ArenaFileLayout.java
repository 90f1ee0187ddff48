package io.kvmesh.agent.memory;

/**
 * Where things lie in an arena's file. Numbers are in the byte order of the machine: only processes
 * of one host read it.
 *
 * <pre>
 *   0               the arena's bytes
 *   tableOffset     one generation, 4 bytes, for each 4096 bytes of the arena, see Generations
 *   headerOffset    0  magic, 8 bytes         8  format, 4 bytes        16  bytes of the arena
 *                   24 bytes of the file      32 id, 16 bytes           48  epoch, −1 until told
 * </pre>
 *
 * What describes the arena comes last, so that its bytes begin on a huge page.
 *
 * @param arenaBytes size of the arena
 */
record ArenaFileLayout(long arenaBytes) {

  /** "KVMARENA". */
  static final long MAGIC = 0x4B564D4152454E41L;

  static final int FORMAT = 1;
  static final long MAGIC_AT = 0;
  static final long FORMAT_AT = 8;
  static final long ARENA_BYTES_AT = 16;
  static final long FILE_BYTES_AT = 24;
  static final long ID_AT = 32;
  static final long EPOCH_AT = 48;

  private static final long BLOCK_BYTES = 4096;

  /** An arena of more bytes would not leave room for the rest. */
  private static final long MAX_ARENA_BYTES = Long.MAX_VALUE / 2;

  ArenaFileLayout {
    if (arenaBytes < 1 || arenaBytes > MAX_ARENA_BYTES) {
      throw new IllegalArgumentException(
          "An arena in a file has 1 to %d bytes, got %d".formatted(MAX_ARENA_BYTES, arenaBytes));
    }
  }

  long tableOffset() {
    return roundedUp(arenaBytes);
  }

  long tableBytes() {
    return Generations.tableBytes(arenaBytes);
  }

  long headerOffset() {
    return tableOffset() + roundedUp(tableBytes());
  }

  /** Size of the file; on hugetlbfs it is rounded up to whole huge pages. */
  long fileBytes() {
    return headerOffset() + BLOCK_BYTES;
  }

  private static long roundedUp(long bytes) {
    return (bytes + BLOCK_BYTES - 1) & -BLOCK_BYTES;
  }
}
