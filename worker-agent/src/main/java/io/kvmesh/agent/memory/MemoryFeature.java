package io.kvmesh.agent.memory;

/** What an arena can ask of the system for its pages. */
public enum MemoryFeature {
  /** Pages set aside by the administrator, of which Linux backs the arena whole or not at all. */
  HUGETLB("hugetlbfs"),
  /** All pages on one NUMA node. */
  NUMA("NUMA binding"),
  /** Transparent huge pages, which Linux puts together as it can. */
  HUGE_PAGES("huge pages"),
  /** All pages backed at the start, none at its first use. */
  PREFAULT("backing all pages at the start"),
  /** No page that is backed is swapped out. */
  LOCKED("locking");

  private final String text;

  MemoryFeature(String text) {
    this.text = text;
  }

  /** As it is called in messages. */
  public String text() {
    return text;
  }
}
