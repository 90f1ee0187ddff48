package io.kvmesh.benchmarks.index;

import io.kvmesh.benchmarks.figures.Samples;
import io.kvmesh.controller.lookup.LookupAnswer;
import io.kvmesh.controller.lookup.PrefixLookup;
import io.kvmesh.controller.lookup.Requester;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.Random;

/** Lookups of one chunk and of prefixes, drawn at random, beside the same probes of a bare map. */
final class LookupRounds {

  static final int PREFIX = 100;
  private static final int LOOKUPS = 2_000;
  private static final Requester SOMEBODY = Requester.outside(Fleet.KEYSPACE);

  private final Random random = new Random(7);
  private final FilledIndex filled;
  private final PrefixLookup lookup;
  private final Long2IntOpenHashMap bare;
  private long found;

  /** Nanoseconds a lookup, of each round. */
  record Nanos(Samples one, Samples bareOne, Samples prefix, Samples answer, Samples barePrefix) {}

  LookupRounds(FilledIndex filled) {
    this.filled = filled;
    this.lookup = new PrefixLookup(filled.index(), filled.registry());
    this.bare = new Long2IntOpenHashMap((int) filled.placements());
    for (int worker = 0; worker < filled.fleet().size(); worker++) {
      for (int number = 0; number < filled.chunksEach(); number++) {
        bare.put(Fleet.hash(worker, number), worker + 1);
      }
    }
  }

  Nanos measure(int warmUps, int rounds) {
    double[][] nanos = new double[5][rounds];
    for (int round = -warmUps; round < rounds; round++) {
      int at = Math.max(round, 0);
      long[][] ones = draw(1);
      nanos[1][at] = nanosEach(ones, this::probe);
      nanos[0][at] = nanosEach(ones, this::holders);
      nanos[4][at] = nanosEach(draw(PREFIX), this::probe);
      nanos[2][at] = nanosEach(draw(PREFIX), this::prefixes);
      nanos[3][at] = nanosEach(draw(PREFIX), this::answer);
    }
    requireAllFound(warmUps + rounds);
    return new Nanos(
        new Samples(nanos[0]),
        new Samples(nanos[1]),
        new Samples(nanos[2]),
        new Samples(nanos[3]),
        new Samples(nanos[4]));
  }

  /** Answers how many chunks were found. */
  private interface Lookup {
    long of(long[] hashes);
  }

  private double nanosEach(long[][] requests, Lookup lookup) {
    return ApplyRounds.nanosOf(
            () -> {
              for (long[] hashes : requests) {
                found += lookup.of(hashes);
              }
            })
        / requests.length;
  }

  private long[][] draw(int length) {
    long[][] requests = new long[LOOKUPS][];
    for (int i = 0; i < LOOKUPS; i++) {
      int worker = random.nextInt(filled.fleet().size());
      requests[i] = Fleet.hashes(worker, random.nextInt(filled.chunksEach() - length), length);
    }
    return requests;
  }

  private long probe(long[] hashes) {
    long holders = 0;
    for (long hash : hashes) {
      holders += bare.get(hash) > 0 ? 1 : 0;
    }
    return holders;
  }

  private long holders(long[] hashes) {
    return filled.index().holders(Fleet.KEYSPACE, hashes[0]).size();
  }

  private long prefixes(long[] hashes) {
    return filled.index().prefixes(Fleet.KEYSPACE, hashes, worker -> true).getFirst().length();
  }

  private long answer(long[] hashes) {
    LookupAnswer.Found answer = lookup.find(SOMEBODY, hashes);
    return answer.holders().getFirst().chunks();
  }

  private void requireAllFound(int rounds) {
    long asked = (long) rounds * LOOKUPS * (2 + 3 * PREFIX);
    if (found != asked) {
      throw new IllegalStateException("Of %d chunks %d were found".formatted(asked, found));
    }
  }
}
