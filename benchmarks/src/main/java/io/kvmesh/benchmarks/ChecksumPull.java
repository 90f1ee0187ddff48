package io.kvmesh.benchmarks;

import io.kvmesh.agent.cache.ChunkChecksum;
import io.kvmesh.agent.memory.PageArena;

/** What the checksums of a pull cost by themselves: those of the same pages, which lie about. */
final class ChecksumPull implements Contender {

  private final PageArena pages;
  private final int chunkBytes;
  private long sums;

  ChecksumPull(int chunks, int chunkBytes) {
    this.chunkBytes = chunkBytes;
    pages = PageArena.anonymous((long) chunks * chunkBytes);
    pages.bytes().fill((byte) 1);
  }

  @Override
  public String name() {
    return "checksums alone";
  }

  @Override
  public void pull() {
    for (long at = 0; at < pages.byteSize(); at += chunkBytes) {
      sums += ChunkChecksum.of(pages.bytes().asSlice(at, chunkBytes));
    }
  }

  @Override
  public void close() {
    if (sums == 0) {
      throw new IllegalStateException("Nothing was summed up");
    }
    pages.close();
  }
}
