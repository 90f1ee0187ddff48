package io.kvmesh.quickstart.workload;

import java.util.Arrays;

/**
 * One request: the blocks of its prompt in order. Equal block ids mean equal prefixes up to and
 * including that block. Immutable.
 */
public final class Prompt {

  private final long[] blocks;

  public Prompt(long... blocks) {
    this.blocks = blocks.clone();
  }

  public int size() {
    return blocks.length;
  }

  public long block(int index) {
    return blocks[index];
  }

  public long[] blocks() {
    return blocks.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Prompt prompt && Arrays.equals(blocks, prompt.blocks);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(blocks);
  }

  @Override
  public String toString() {
    return Arrays.toString(blocks);
  }
}
