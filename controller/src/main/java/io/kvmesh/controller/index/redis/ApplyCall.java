package io.kvmesh.controller.index.redis;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.PlacementDigest;
import io.kvmesh.controller.index.ChangeStep;
import io.kvmesh.controller.index.ChangeStep.Drop;
import io.kvmesh.controller.index.ChangeStep.Measure;
import io.kvmesh.controller.index.ChangeStep.Operations;
import io.kvmesh.controller.index.ChangeStep.SnapshotApply;
import io.kvmesh.controller.index.ChangeStep.SnapshotBegin;
import io.kvmesh.controller.index.ChangeStep.SnapshotKeys;
import io.kvmesh.controller.index.ChangeStep.SnapshotVoid;
import io.kvmesh.controller.index.WorkerChange;
import it.unimi.dsi.fastutil.longs.Long2BooleanLinkedOpenHashMap;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The script's keys and arguments for one change; the protocol is in apply.lua. */
final class ApplyCall {

  /** Keys in one command of the script: its language takes a limited number of arguments. */
  private static final int MAX_KEYS = 1_000;

  private static final byte[] NONE = {};

  private final RedisKeys schema;
  private final WorkerChange change;

  /** Names of the worker's sets, and whether each is a set of the step's location. */
  private final Set<String> sets;

  private final Map<String, Integer> numbers = new LinkedHashMap<>();
  private final List<byte[]> keys = new ArrayList<>();
  private final List<byte[]> arguments = new ArrayList<>();

  /**
   * A call.
   *
   * @param sets names of the sets that the worker has; only for steps that {@link #needsSets}
   */
  ApplyCall(RedisKeys schema, WorkerChange change, List<byte[]> fields, Collection<String> sets) {
    this.schema = schema;
    this.change = change;
    this.sets = new LinkedHashSet<>(sets);
    keys.add(schema.state(change.worker()));
    add(Long.toString(change.expectedOffset()));
    add(Integer.toString(RedisKeys.FORMAT));
    add(change.forget() ? "forget" : "keep");
    add(Integer.toString(fields.size() / 2));
    arguments.addAll(fields);
    change.steps().forEach(this::add);
  }

  /** Whether the change has a step that is about sets which it doesn't name. */
  static boolean needsSets(WorkerChange change) {
    return change.steps().stream()
        .anyMatch(
            step ->
                switch (step) {
                  case Drop _, SnapshotBegin _, SnapshotApply _, SnapshotVoid _ -> true;
                  case Measure _, Operations _, SnapshotKeys _ -> false;
                });
  }

  byte[][] keys() {
    return keys.toArray(byte[][]::new);
  }

  byte[][] arguments() {
    return arguments.toArray(byte[][]::new);
  }

  private void add(ChangeStep step) {
    switch (step) {
      case Drop() -> drop();
      case Measure(String location) -> total(location);
      case Operations operations -> operations(operations);
      case SnapshotKeys(String location, Keyspace keyspace, long[] hashBits) ->
          operations(new Operations(location, keyspace, hashBits, all(hashBits.length), true));
      case SnapshotBegin(String location) -> marks("B", location);
      case SnapshotVoid(String location) -> marks("V", location);
      case SnapshotApply(String location) -> keepMarked(location);
    }
  }

  private static boolean[] all(int length) {
    boolean[] admits = new boolean[length];
    Arrays.fill(admits, true);
    return admits;
  }

  private void operations(Operations operations) {
    String set = RedisKeys.set(operations.location(), operations.keyspace());
    sets.add(set);
    // The last operation on a chunk decides.
    Long2BooleanLinkedOpenHashMap last = new Long2BooleanLinkedOpenHashMap();
    for (int i = 0; i < operations.hashBits().length; i++) {
      last.putAndMoveToLast(operations.hashBits()[i], operations.admits()[i]);
    }
    long[] hashes = last.keySet().toLongArray();
    for (int from = 0; from < hashes.length; from += MAX_KEYS) {
      long[] part = Arrays.copyOfRange(hashes, from, Math.min(hashes.length, from + MAX_KEYS));
      add("C");
      add(RedisKeys.escapeLocation(operations.location()));
      addKeys(set);
      if (operations.marking()) {
        addMarks(set);
      } else {
        add("0");
      }
      add(RedisKeys.SET_FIELD + set);
      addPacked(Arrays.stream(part).filter(last::get).toArray(), operations.keyspace());
      addPacked(Arrays.stream(part).filter(h -> !last.get(h)).toArray(), operations.keyspace());
    }
    total(operations.location());
  }

  private void addPacked(long[] hashes, Keyspace keyspace) {
    if (hashes.length == 0) {
      arguments.add(NONE);
      arguments.add(NONE);
      return;
    }
    ByteBuffer members = ByteBuffer.allocate(hashes.length * Long.BYTES);
    ByteBuffer mixes = ByteBuffer.allocate(hashes.length * Long.BYTES);
    for (long hash : hashes) {
      members.putLong(hash);
      mixes.putLong(PlacementDigest.mix(keyspace.digest(), hash));
    }
    arguments.add(members.array());
    arguments.add(mixes.array());
  }

  private void marks(String step, String location) {
    List<String> of = setsOf(location);
    add(step);
    add(RedisKeys.escapeLocation(location));
    add(Integer.toString(of.size()));
    of.forEach(this::addMarks);
    total(location);
  }

  private void keepMarked(String location) {
    List<String> of = setsOf(location);
    add("A");
    add(RedisKeys.escapeLocation(location));
    add(Integer.toString(of.size()));
    for (String set : of) {
      addKeys(set);
      addMarks(set);
      add(RedisKeys.SET_FIELD + set);
    }
    total(location);
  }

  private void drop() {
    add("D");
    add(Integer.toString(2 * sets.size()));
    for (String set : sets) {
      addKeys(set);
      addMarks(set);
    }
  }

  private void total(String location) {
    add("T");
    add(RedisKeys.escapeLocation(location));
  }

  private List<String> setsOf(String location) {
    return sets.stream().filter(set -> RedisKeys.locationOf(set).equals(location)).toList();
  }

  private void addKeys(String set) {
    addNumber("keys:" + set, schema.keys(change.worker(), set));
  }

  private void addMarks(String set) {
    addNumber("marks:" + set, schema.marks(change.worker(), set));
  }

  private void addNumber(String name, byte[] key) {
    Integer known = numbers.get(name);
    if (known == null) {
      keys.add(key);
      known = keys.size();
      numbers.put(name, known);
    }
    add(known.toString());
  }

  private void add(String argument) {
    arguments.add(RedisKeys.bytes(argument));
  }
}
