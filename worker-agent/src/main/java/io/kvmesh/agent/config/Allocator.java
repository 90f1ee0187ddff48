package io.kvmesh.agent.config;

/** How the arena is given out. */
enum Allocator {
  /** In pages, each as large as a full chunk. */
  PAGED,
  /** In ranges, each as long as its chunk. */
  RANGES
}
