package io.kvmesh.controller.web;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.controller.command.Command;
import io.kvmesh.controller.command.CommandService;
import io.kvmesh.controller.command.CommandView;
import io.kvmesh.controller.command.Submission;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Takes commands from requests: checks what they name and says why one is not taken. Any thread.
 */
public final class CommandDesk {

  private static final int LONGEST_NAME = 200;
  private static final int LONGEST_ID = 150;
  private static final String NAME = "must have 1 to " + LONGEST_NAME + " characters";
  private static final String ID =
      "must have 1 to " + LONGEST_ID + " letters, digits or any of -_.:";

  private final CommandService commands;
  private final WorkerCatalog catalog;
  private final int maxTokens;
  private final int maxKeys;

  public CommandDesk(CommandService commands, WorkerCatalog catalog, int maxTokens, int maxKeys) {
    this.commands = commands;
    this.catalog = catalog;
    this.maxTokens = maxTokens;
    this.maxKeys = maxKeys;
  }

  /** Begins it, or answers the request with an error. */
  public Submission.Accepted submit(Command command, @Nullable String id) {
    if (id != null) {
      requireId("id", id);
    }
    return switch (commands.submit(command, id)) {
      case Submission.Accepted accepted -> accepted;
      case Submission.UnknownInstance(String instanceId, boolean target) -> {
        if (!catalog.ready()) {
          throw Problems.notReady();
        }
        throw Problems.notFound(target ? "target instance" : "instance", instanceId);
      }
      case Submission.UnknownRank(String instanceId, int rank) ->
          throw Problems.notFound("rank of instance " + instanceId, rank);
      case Submission.Impossible(String reason) ->
          throw Problems.badRequest("target instance", command.instanceId(), reason);
      case Submission.Duplicate(String taken) ->
          throw Problems.conflict("id", taken, "a command of that id is there already");
      case Submission.Overloaded(int running) ->
          throw Problems.overloaded(running + " commands are under way already");
    };
  }

  /** The command of that id; of a prefetch or drain under way, as its workers tell it now. */
  CompletableFuture<CommandView> progress(String id) {
    return commands
        .progress(id)
        .thenApply(view -> view.orElseThrow(() -> Problems.notFound("command", id)));
  }

  /** Tells a prefetch or drain to end; completes when it has. */
  CompletableFuture<CommandView> cancel(String id) {
    return commands.cancel(id).orElseGet(() -> CompletableFuture.completedFuture(over(id)));
  }

  private CommandView over(String id) {
    CommandView view = find(id).orElseThrow(() -> Problems.notFound("command", id));
    if (view.state() == CommandView.State.RUNNING) {
      throw Problems.conflict(
          "id", id, "is a command that can't be cancelled, only a prefetch or a drain can");
    }
    return view;
  }

  /** The command of that id. */
  public Optional<CommandView> find(String id) {
    return commands.find(id);
  }

  /** All that are known. */
  public List<CommandView> list() {
    return commands.list();
  }

  /** An id of a command. */
  public static String requireId(String field, @Nullable String id) {
    if (id == null || id.isEmpty() || id.length() > LONGEST_ID || !id.matches("[\\w.:-]+")) {
      throw Problems.badRequest(field, id, ID);
    }
    return id;
  }

  /** A name that must be given. */
  public static String required(String field, @Nullable String name) {
    if (name == null) {
      throw Problems.badRequest(field, null, "must be given");
    }
    if (name.isBlank() || name.length() > LONGEST_NAME) {
      throw Problems.badRequest(field, name, NAME);
    }
    return name;
  }

  /** A location; absent = where an agent keeps its chunks. */
  public static String location(String field, @Nullable String location) {
    return location == null ? Command.DEFAULT_LOCATION : required(field, location);
  }

  /** The chunks of tokens or of keys; all if neither is given. */
  public Command.Chunks chunks(
      @Nullable List<@Nullable Long> tokens, @Nullable List<@Nullable String> keys) {
    if (tokens != null && keys != null) {
      throw Problems.badRequest("keys", "given", "give either tokens or keys");
    }
    return new Command.Chunks(
        TokenList.optional(tokens, maxTokens), keys == null ? null : checkedKeys(keys));
  }

  /** The same, one of them given. */
  public Command.Chunks requiredChunks(
      @Nullable List<@Nullable Long> tokens, @Nullable List<@Nullable String> keys) {
    if (tokens == null && keys == null) {
      throw Problems.badRequest("tokens", null, "give either tokens or keys");
    }
    return chunks(tokens, keys);
  }

  /** A prefix of tokens, keys or hashes, one of them given, and of one keyspace. */
  Command.Chunks prefix(
      @Nullable List<@Nullable Long> tokens,
      @Nullable List<@Nullable String> keys,
      @Nullable List<@Nullable HashValue> hashes,
      @Nullable String keyspace) {
    if (hashes != null) {
      ChunkNames names = new ChunkNames(hashes, keys, tokens, null, keyspace);
      return new Command.Chunks(null, ChunkReader.keysOfHashes(names, maxKeys));
    }
    if (keyspace != null) {
      throw Problems.badRequest("keyspace", keyspace, "must be absent without hashes");
    }
    Command.Chunks named = requiredChunks(tokens, keys);
    List<String> texts = named.keys();
    if (texts != null) {
      requireOneKeyspace(texts);
    }
    return named;
  }

  private static void requireOneKeyspace(List<String> keys) {
    Keyspace first = ChunkKey.parse(keys.getFirst()).keyspace();
    for (int i = 1; i < keys.size(); i++) {
      if (!ChunkKey.parse(keys.get(i)).keyspace().equals(first)) {
        throw Problems.badRequest(
            "keys[" + i + "]", keys.get(i), "must have the keyspace of the first, " + first);
      }
    }
  }

  /** The chunks of tokens alone, which must be given. */
  public Command.Chunks requiredTokens(@Nullable List<@Nullable Long> tokens) {
    return new Command.Chunks(TokenList.required(tokens, maxTokens), null);
  }

  private List<String> checkedKeys(List<@Nullable String> keys) {
    ChunkReader.requireSize("keys", keys.size(), maxKeys);
    List<String> checked = new ArrayList<>(keys.size());
    for (String key : keys) {
      checked.add(ChunkReader.key("keys[" + checked.size() + "]", key).toString());
    }
    return checked;
  }
}
