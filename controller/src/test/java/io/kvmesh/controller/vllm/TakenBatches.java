package io.kvmesh.controller.vllm;

import io.kvmesh.common.wire.codec.KvEventFrames.Numbered;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What was taken since the last beginning. */
final class TakenBatches implements BatchSink {

  final List<String> batches = new ArrayList<>();
  int begun;
  boolean incomplete;
  int missed;
  boolean room = true;

  @Override
  public void begin(boolean mayLack) {
    batches.clear();
    begun++;
    incomplete = mayLack;
    missed = 0;
  }

  @Override
  public void missed() {
    missed++;
  }

  @Override
  public void apply(Numbered batch, long check) {
    batches.add(new String(batch.payload(), StandardCharsets.UTF_8));
  }

  @Override
  public boolean hasRoom() {
    return room;
  }
}
