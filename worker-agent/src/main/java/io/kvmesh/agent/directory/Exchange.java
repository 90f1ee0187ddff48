package io.kvmesh.agent.directory;

import io.kvmesh.common.wire.directory.DirectoryReply;

/** What came of asking one controller once. */
sealed interface Exchange {

  /** It answered. */
  record Answered(DirectoryReply reply) implements Exchange {}

  /** It didn't answer in time. */
  record Silent() implements Exchange {}

  /** The question didn't reach it, or its answer couldn't be read. */
  record Failed(String reason) implements Exchange {}
}
