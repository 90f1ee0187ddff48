package io.kvmesh.agent.engine.tcp;

import io.kvmesh.agent.cache.BodyForm;
import io.kvmesh.agent.cache.BodyRule;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.memory.ChunkShape;
import io.kvmesh.agent.memory.Dtype;
import io.kvmesh.agent.memory.MemoryFormat;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.OpaqueKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How the values of bodies lie, which LMCache's protocols tell with each body. What a client told
 * is kept with the chunk. A chunk that came another way, from a peer mostly, lies as chunks of its
 * keyspace and length do that were told of before, or else as the settings say. Any thread.
 */
public final class BodyForms {

  private static final int MOST_KNOWN = 1024;
  private static final int DIMS = 4;

  /** By LMCache's numbers, from that of the first one on. */
  private static final List<Dtype> DTYPES =
      List.of(
          Dtype.HALF,
          Dtype.BFLOAT16,
          Dtype.FLOAT,
          Dtype.DOUBLE,
          Dtype.UINT8,
          Dtype.FP8_E4M3FN,
          Dtype.FP8_E5M2);

  private static final int FIRST_DTYPE = 2;

  /** Another number of the first one, which nobody sends. */
  private static final int ALSO_FIRST_DTYPE = 1;

  /** Where bodies are that nobody told the place of: in the CPU's memory. */
  private static final int LOCAL_CPU = 1;

  private record Kind(Keyspace keyspace, int bytes) {}

  private final BodyRule rule;
  private final int fullBytes;
  private final Map<Kind, BodyForm> known = new ConcurrentHashMap<>();

  /**
   * @param rule says of which chunks it is known what a full one is
   * @param fullBytes length of a full one
   */
  public BodyForms(BodyRule rule, int fullBytes) {
    this.rule = rule;
    this.fullBytes = fullBytes;
  }

  /** How the values of a chunk lie; empty = nobody knows. */
  public Optional<BodyForm> of(ChunkLease lease, int index) {
    BodyForm told = lease.form(index);
    if (told != null) {
      return Optional.of(told);
    }
    Keyspace keyspace = lease.key(index).keyspace();
    BodyForm alike = known.get(new Kind(keyspace, lease.bytes(index)));
    return alike == null ? shaped(keyspace, lease.tokens(index)) : Optional.of(alike);
  }

  /** Remembers what a client tells of a body; answers the same, shared with bodies alike. */
  BodyForm learn(ChunkKey key, int bytes, BodyForm told) {
    Kind kind = new Kind(key.keyspace(), bytes);
    BodyForm alike = known.get(kind);
    if (alike != null && alike.equals(told)) {
      return alike;
    }
    boolean tellsOfOthers = !OpaqueKeys.isTheirs(key.keyspace());
    if (tellsOfOthers && (alike != null || known.size() < MOST_KNOWN)) {
      known.put(kind, told);
    }
    return told;
  }

  private Optional<BodyForm> shaped(Keyspace keyspace, int tokens) {
    ChunkShape shape = rule.shape();
    if (shape == null || !rule.appliesTo(keyspace) || tokens < 1 || tokens > shape.tokens()) {
      return Optional.empty();
    }
    List<Integer> dims = new ArrayList<>(shape.ofTokens(tokens).dims());
    while (dims.size() < DIMS) {
      dims.add(0);
    }
    int format = shape.format().value();
    return number(shape.dtype())
        .map(dtype -> new BodyForm(format, LOCAL_CPU, List.of(new BodyForm.Group(dtype, dims))));
  }

  /** LMCache's number of a type, where it has one. */
  private static Optional<Integer> number(Dtype dtype) {
    int index = DTYPES.indexOf(dtype);
    return index < 0 ? Optional.empty() : Optional.of(FIRST_DTYPE + index);
  }

  /** Of one value; 0 = there is no such number. */
  private static int bytesOfValue(int dtype) {
    int index = dtype == ALSO_FIRST_DTYPE ? 0 : dtype - FIRST_DTYPE;
    return index < 0 || index >= DTYPES.size() ? 0 : DTYPES.get(index).bytes();
  }

  /** How long such a body is; empty = its numbers don't tell. */
  static OptionalLong bytes(BodyForm form) {
    long bytes = 0;
    for (BodyForm.Group group : form.groups()) {
      long ofGroup = bytesOfValue(group.dtype());
      for (int length : group.shape()) {
        ofGroup *= Math.max(1, length);
        if (ofGroup > Integer.MAX_VALUE) {
          return OptionalLong.of(Long.MAX_VALUE);
        }
      }
      bytes += ofGroup;
      if (ofGroup == 0) {
        return OptionalLong.empty();
      }
    }
    return OptionalLong.of(bytes);
  }

  /**
   * For how many tokens a body stands of which only the length is known: each takes as much as
   * another. 0 = for no whole number, or nobody knows.
   */
  int tokens(ChunkKey key, int bytes) {
    long tokens = (long) bytes * rule.chunkTokens();
    return rule.appliesTo(key.keyspace()) && tokens % fullBytes == 0
        ? Math.toIntExact(tokens / fullBytes)
        : 0;
  }

  /** For how many tokens such a body stands; 0 = it isn't the KV cache of any. */
  static int tokens(BodyForm form) {
    List<Integer> shape = form.groups().getFirst().shape();
    MemoryFormat format = MemoryFormat.ofValue(form.format()).orElse(MemoryFormat.UNDEFINED);
    int tokens =
        switch (format) {
          case KV_2LTD, KV_MLA_FMT -> shape.get(2);
          case KV_T2D -> shape.get(0);
          case KV_2TD -> shape.get(1);
          case UNDEFINED, BINARY, BINARY_BUFFER, EC_TD, HS_TD -> 0;
        };
    return Math.max(0, tokens);
  }
}
