package io.kvmesh.quickstart.options;

import java.util.Locale;

/** The eviction policies that an agent knows, by the names that its settings use. */
public enum Policy {
  LRU,
  FIFO,
  LFU,
  MRU,
  S3FIFO,
  ADAPTIVE;

  /** The name in settings and on the command line. */
  public String settingName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
