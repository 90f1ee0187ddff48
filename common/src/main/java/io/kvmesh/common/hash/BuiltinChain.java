package io.kvmesh.common.hash;

import io.kvmesh.common.key.ChunkHash;

/** CPython's {@code hash((prefix, tokens, ()))}. */
final class BuiltinChain implements HashChain {

  private final ThirdElement third;
  private long prefix;

  BuiltinChain(long prefix, ThirdElement third) {
    this.prefix = prefix;
    this.third = third;
  }

  @Override
  public ChunkHash next(long[] tokens, int from, int to) {
    long acc = PythonHash.EMPTY_ACCUMULATOR;
    acc = PythonHash.mix(acc, PythonHash.ofInt(prefix));
    acc = PythonHash.mix(acc, ofTokens(tokens, from, to));
    prefix =
        switch (third) {
          case EMPTY_TUPLE -> PythonHash.finish(PythonHash.mix(acc, PythonHash.EMPTY_TUPLE), 3);
          case NONE -> PythonHash.finish(PythonHash.mix(acc, PythonHash.NONE), 3);
          case ABSENT -> PythonHash.finish(acc, 2);
        };
    return ChunkHash.ofSigned(prefix);
  }

  private static long ofTokens(long[] tokens, int from, int to) {
    long acc = PythonHash.EMPTY_ACCUMULATOR;
    for (int i = from; i < to; i++) {
      acc = PythonHash.mix(acc, PythonHash.ofInt(tokens[i]));
    }
    return PythonHash.finish(acc, to - from);
  }
}
