package io.kvmesh.agent.engine;

import io.kvmesh.common.wire.engine.EngineErrorCode;

/**
 * How many chunks one session may hold, and does; a chunk counts once for each lease and claim. The
 * door's thread alone.
 */
final class EngineShare {

  private int most = Integer.MAX_VALUE;
  private int held;
  private int setAside;
  private long refusals;

  /** From now on it is no more than this. What is held already stays. */
  void limit(int chunks) {
    most = chunks;
  }

  int most() {
    return most;
  }

  int held() {
    return held;
  }

  /** Requests that were refused since they would have gone beyond it. */
  long refusals() {
    return refusals;
  }

  /** Whether nothing more can be had. */
  boolean isUsedUp() {
    return held + setAside >= most;
  }

  /** For a request that is at work, so that others can't have it meanwhile. */
  void setAside(int chunks) throws EngineFault {
    require(chunks);
    setAside += chunks;
  }

  void endSetAside(int chunks) {
    setAside -= chunks;
  }

  void take(int chunks) throws EngineFault {
    require(chunks);
    held += chunks;
  }

  void giveBack(int chunks) {
    held -= chunks;
  }

  /** Takes again what was given back just now. */
  void putBack(int chunks) {
    held += chunks;
  }

  private void require(int chunks) throws EngineFault {
    if (chunks > most - held - setAside) {
      refusals++;
      throw new EngineFault(
          EngineErrorCode.OVER_SHARE,
          "the session may hold %d chunks and has %d: %d more are too many"
              .formatted(most, held + setAside, chunks));
    }
  }
}
