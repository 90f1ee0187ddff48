package io.kvmesh.controller.vllm;

import io.kvmesh.common.wire.codec.KvEventFrames;
import io.kvmesh.common.wire.codec.KvEventFrames.Numbered;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/** An engine that keeps its last batches; what it publishes is delivered by hand. */
final class KeptBatches implements Replays {

  private final Deque<Numbered> kept = new ArrayDeque<>();
  final Deque<Numbered> answers = new ArrayDeque<>();
  int room = 1000;
  boolean available = true;
  int life;
  long next;

  Numbered publish() {
    byte[] payload = (life + ":" + next).getBytes(StandardCharsets.UTF_8);
    Numbered batch = new Numbered(next++, payload);
    kept.add(batch);
    while (kept.size() > room) {
      kept.remove();
    }
    return batch;
  }

  void restart() {
    life++;
    next = 0;
    kept.clear();
    answers.clear();
  }

  @Override
  public boolean available() {
    return available;
  }

  @Override
  public void ask(long first) {
    answers.clear();
    kept.stream().filter(batch -> batch.sequence() >= first).forEach(answers::add);
    answers.add(new Numbered(KvEventFrames.END, new byte[0]));
  }

  @Override
  public void abort() {
    answers.clear();
  }
}
