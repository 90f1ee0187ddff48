package io.kvmesh.quickstart.simulate;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.PlacementDigest;
import io.kvmesh.quickstart.replay.Keys;
import io.kvmesh.quickstart.workload.Prompt;
import io.kvmesh.quickstart.workload.Workload;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A workload whose blocks are numbered from 0 in the order in which they come first. */
final class NumberedBlocks {

  private final int[][] requests;
  private final long[] keyHashes;
  private final int distinct;

  private NumberedBlocks(int[][] requests, long[] keyHashes, int distinct) {
    this.requests = requests;
    this.keyHashes = keyHashes;
    this.distinct = distinct;
  }

  /** Numbers the blocks; their keys are those of a replay in this keyspace. */
  static NumberedBlocks of(Workload workload, Keyspace keyspace) {
    Map<Long, Integer> numbers = new HashMap<>();
    long[] keyHashes = new long[Math.toIntExact(workload.chunks())];
    int[][] requests = new int[workload.prompts().size()][];
    Keys keys = new Keys(keyspace);
    for (int i = 0; i < requests.length; i++) {
      Prompt prompt = workload.prompts().get(i);
      List<ChunkKey> keysOfPrompt = keys.of(prompt);
      requests[i] = new int[prompt.size()];
      for (int j = 0; j < prompt.size(); j++) {
        int number = numbers.computeIfAbsent(prompt.block(j), unseen -> numbers.size());
        ChunkKey key = keysOfPrompt.get(j);
        keyHashes[number] = PlacementDigest.mix(key.keyspace().digest(), key.hash().bits());
        requests[i][j] = number;
      }
    }
    return new NumberedBlocks(requests, keyHashes, numbers.size());
  }

  int requests() {
    return requests.length;
  }

  /** The blocks of a request, in order; not to be changed. */
  int[] request(int index) {
    return requests[index];
  }

  /** How many blocks there are. */
  int distinct() {
    return distinct;
  }

  /** What an agent's policy is told of the block's key. */
  long keyHash(int block) {
    return keyHashes[block];
  }
}
