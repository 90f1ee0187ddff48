package io.kvmesh.controller.command;

import java.time.Duration;

/**
 * Bounds of commands.
 *
 * @param timeout for one worker's reply, and again for its turn
 * @param moveTimeout the same for what handles bodies: move, compress, decompress, prefetch, drain
 * @param maxRunning commands under way at a time
 * @param maxKept commands that are over and are kept
 * @param keepFor counted from their end
 */
public record CommandSettings(
    Duration timeout, Duration moveTimeout, int maxRunning, int maxKept, Duration keepFor) {

  /** A reply that comes late is to come before its worker is given up. */
  Duration longest(Command command) {
    return timeout(command).minus(timeout(command).dividedBy(8));
  }

  Duration timeout(Command command) {
    return switch (command) {
      case Command.Move _,
          Command.Compress _,
          Command.Decompress _,
          Command.Prefetch _,
          Command.Drain _ ->
          moveTimeout;
      case Command.Clear _,
          Command.Health _,
          Command.Reach _,
          Command.Pin _,
          Command.Unpin _,
          Command.Undrain _ ->
          timeout;
    };
  }
}
