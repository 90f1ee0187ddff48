package io.kvmesh.common.count;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** A number for each constant of an enum, which only rises. Any thread. */
public final class Counters<E extends Enum<E>> {

  private final Map<E, LongAdder> adders;

  /** All at zero. */
  public Counters(Class<E> kind) {
    adders = new EnumMap<>(kind);
    for (E constant : kind.getEnumConstants()) {
      adders.put(constant, new LongAdder());
    }
  }

  /** One more. */
  public void count(E what) {
    adder(what).increment();
  }

  /** That many more. */
  public void add(E what, long many) {
    adder(what).add(many);
  }

  /** The number by now. */
  public long get(E what) {
    return adder(what).sum();
  }

  private LongAdder adder(E what) {
    LongAdder adder = adders.get(what);
    if (adder == null) {
      throw new IllegalArgumentException("No counter of " + what);
    }
    return adder;
  }
}
