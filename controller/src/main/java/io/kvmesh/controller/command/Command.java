package io.kvmesh.controller.command;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an operator wants of all workers of an instance. */
public sealed interface Command {

  /** Where an agent keeps its chunks, and what a command means that names no location. */
  String DEFAULT_LOCATION = "LocalCPUBackend";

  /** Whose workers are asked. */
  String instanceId();

  /** Drops what can be dropped. */
  record Clear(String instanceId, String location) implements Command {}

  /** Asks each worker how it is. */
  record Health(String instanceId) implements Command {}

  /**
   * Has workers try to reach those that they would pull from.
   *
   * @param rank of the one worker that does; null = all
   */
  record Reach(String instanceId, @Nullable Integer rank) implements Command {}

  /** Keeps chunks, under the command's id as their owner. */
  record Pin(String instanceId, String location, Chunks chunks) implements Command {}

  /**
   * Takes off the pins of an owner.
   *
   * @param owner id of the command that pinned
   */
  record Unpin(String instanceId, String location, Chunks chunks, String owner)
      implements Command {}

  /** Compresses chunks where they are. */
  record Compress(String instanceId, String method, String location, Chunks chunks)
      implements Command {}

  /** Takes that back. */
  record Decompress(String instanceId, String method, String location, Chunks chunks)
      implements Command {}

  /** Brings chunks from each worker of one instance to the worker of another that is its pair. */
  record Move(
      String instanceId,
      String location,
      String targetInstanceId,
      String targetLocation,
      Chunks chunks,
      boolean copy)
      implements Command {}

  /**
   * Brings a prefix to workers, from whoever has it.
   *
   * @param rank of the one worker that gets it; null = all, each the chunks of its own rank
   * @param chunks all of one keyspace
   * @param deadlineMillis in which it is to be over; 0 = as long as the workers allow
   */
  record Prefetch(
      String instanceId,
      String location,
      @Nullable Integer rank,
      Chunks chunks,
      long deadlineMillis)
      implements Command {}

  /**
   * Has workers hand their chunks over to others; they keep them and serve on.
   *
   * @param rank of the one worker that does; null = all
   * @param targetInstanceId whose workers get them, rank by rank; null = whom the controllers name
   * @param deadlineMillis in which it is to be over; 0 = as long as the workers allow
   * @param maxBytes that each may hand over; 0 = any number
   */
  record Drain(
      String instanceId,
      String location,
      @Nullable Integer rank,
      @Nullable String targetInstanceId,
      long deadlineMillis,
      long maxBytes)
      implements Command {}

  /**
   * Has workers stay that are being drained, or were: takes Drain back.
   *
   * @param rank of the one worker that does; null = all
   */
  record Undrain(String instanceId, @Nullable Integer rank) implements Command {}

  /** Of the one worker that is asked; null = all of the instance. */
  default @Nullable Integer rank() {
    return null;
  }

  /** Of the instance that gets chunks; null if none is named. */
  default @Nullable String targetInstanceId() {
    return null;
  }

  /** The prefix of its ids, as LMCache writes it, by which its kind is known. */
  default String kind() {
    return switch (this) {
      case Clear c -> "Clear";
      case Health h -> "health";
      case Reach r -> "Reach";
      case Pin p -> "Pin";
      case Unpin u -> "Unpin";
      case Compress c -> "Compress";
      case Decompress d -> "Decompress";
      case Move m -> "Move";
      case Prefetch p -> "Prefetch";
      case Drain d -> "Drain";
      case Undrain u -> "Undrain";
    };
  }

  /**
   * The chunks meant: those of a prompt's tokens, or those of keys (which only agents take); all if
   * both are null.
   */
  record Chunks(@Nullable List<Long> tokens, @Nullable List<String> keys) {

    /** All of them. */
    public static final Chunks ALL = new Chunks(null, null);

    /** Copies the collections. */
    public Chunks {
      tokens = tokens == null ? null : List.copyOf(tokens);
      keys = keys == null ? null : List.copyOf(keys);
    }
  }
}
