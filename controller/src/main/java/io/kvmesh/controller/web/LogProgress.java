package io.kvmesh.controller.web;

import java.util.Map;

/** How far the view that serves lookups has read the log. Any thread. */
public interface LogProgress {

  /** Whether it has reached the end; before, what is not there may just not be read yet. */
  boolean ready();

  /** How far it is behind, by partition; one that it does not read (yet) is absent. */
  Map<Integer, Lag> lags();

  /** Records not applied yet, and their age in milliseconds. */
  record Lag(long records, long millis) {}
}
