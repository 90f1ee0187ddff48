package io.kvmesh.controller.web.lmcache;

import java.util.List;

/** The figures that LMCache's controller shows and this one has. Any thread. */
@FunctionalInterface
public interface LmcacheGauges {

  /** The values of this moment, in the order in which they are shown. */
  List<Gauge> read();

  /**
   * One figure.
   *
   * @param name after LMCache's prefix
   */
  record Gauge(String name, String help, double value) {}
}
