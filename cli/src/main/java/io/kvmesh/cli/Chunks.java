package io.kvmesh.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Options that name chunks, in one of the ways that a request may. */
final class Chunks {

  private Chunks() {}

  /** What every request may name chunks by. */
  static class Names {

    @Option(
        names = "--tokens",
        split = ",",
        paramLabel = "TOKEN",
        description = "ids of a prompt's tokens")
    private List<Long> tokens = new ArrayList<>();

    @Option(
        names = "--keys",
        split = ",",
        paramLabel = "KEY",
        description = "whole chunk keys: MODEL@WORLD@RANK@HASH@DTYPE")
    private List<String> keys = new ArrayList<>();

    void into(ObjectNode request) {
      put(request, "tokens", tokens, ArrayNode::add);
      put(request, "keys", keys, ArrayNode::add);
    }
  }

  /** What a question to the index may name them by, too. */
  static final class NamesOrHashes extends Names {

    @Option(
        names = "--hashes",
        split = ",",
        paramLabel = "HASH",
        description = "chunk hashes, decimal or after 0x hexadecimal")
    private List<String> hashes = new ArrayList<>();

    @Override
    void into(ObjectNode request) {
      super.into(request);
      put(request, "hashes", hashes, ArrayNode::add);
    }
  }

  /** For questions to the index. */
  static final class Asked {

    @Option(
        names = "--keyspace",
        paramLabel = "MODEL@WORLD@RANK@DTYPE",
        description = "of tokens or hashes: a chunk key without its hash")
    private String keyspace = "";

    @ArgGroup(multiplicity = "1")
    private NamesOrHashes names = new NamesOrHashes();

    /** A request with these alone. */
    ObjectNode request() {
      ObjectNode request = JsonMapper.shared().createObjectNode();
      if (!keyspace.isEmpty()) {
        request.put("keyspace", keyspace);
      }
      names.into(request);
      return request;
    }
  }

  /** For commands to workers, which know no hashes without a keyspace. */
  static final class Told {

    @ArgGroup private Names names = new Names();

    /** Puts them into a request. */
    void into(ObjectNode request) {
      names.into(request);
    }
  }

  /** For a prefix that is to be brought: hashes have their keyspace beside them. */
  static final class Prefix {

    @Option(
        names = "--keyspace",
        paramLabel = "MODEL@WORLD@RANK@DTYPE",
        description = "of hashes: a chunk key without its hash")
    private String keyspace = "";

    @ArgGroup(multiplicity = "1")
    private NamesOrHashes names = new NamesOrHashes();

    /** Puts them into a request. */
    void into(ObjectNode request) {
      if (!keyspace.isEmpty()) {
        request.put("keyspace", keyspace);
      }
      names.into(request);
    }
  }

  private static <T> void put(
      ObjectNode request, String field, List<T> values, BiConsumer<ArrayNode, T> add) {
    if (!values.isEmpty()) {
      ArrayNode array = request.putArray(field);
      values.forEach(value -> add.accept(array, value));
    }
  }
}
