package io.kvmesh.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Options that name chunks, in one of the ways that a request may. */
final class Chunks {

  private Chunks() {}

  /** For questions to the index. */
  static final class Asked {

    @Option(
        names = "--keyspace",
        paramLabel = "MODEL@WORLD@RANK@DTYPE",
        description = "of tokens or hashes: a chunk key without its hash")
    private String keyspace = "";

    @ArgGroup(multiplicity = "1")
    private Names names = new Names();

    /** One of these. */
    static final class Names {
      @Option(
          names = "--tokens",
          split = ",",
          paramLabel = "TOKEN",
          description = "ids of a prompt's tokens")
      private List<Long> tokens = new ArrayList<>();

      @Option(
          names = "--hashes",
          split = ",",
          paramLabel = "HASH",
          description = "chunk hashes, decimal or after 0x hexadecimal")
      private List<String> hashes = new ArrayList<>();

      @Option(
          names = "--keys",
          split = ",",
          paramLabel = "KEY",
          description = "whole chunk keys: MODEL@WORLD@RANK@HASH@DTYPE")
      private List<String> keys = new ArrayList<>();
    }

    /** A request with these alone. */
    ObjectNode request() {
      ObjectNode request = JsonMapper.shared().createObjectNode();
      if (!keyspace.isEmpty()) {
        request.put("keyspace", keyspace);
      }
      putTokens(request, names.tokens);
      put(request, "hashes", names.hashes);
      put(request, "keys", names.keys);
      return request;
    }
  }

  /** For commands to workers, which know no hashes without a keyspace. */
  static final class Told {

    @ArgGroup private Either names = new Either();

    /** One of these. */
    static final class Either {
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
    }

    /** Puts them into a request. */
    void into(ObjectNode request) {
      putTokens(request, names.tokens);
      put(request, "keys", names.keys);
    }
  }

  private static void putTokens(ObjectNode request, List<Long> values) {
    if (!values.isEmpty()) {
      ArrayNode tokens = request.putArray("tokens");
      values.forEach(tokens::add);
    }
  }

  private static void put(ObjectNode request, String field, List<String> values) {
    if (!values.isEmpty()) {
      ArrayNode array = request.putArray(field);
      values.forEach(array::add);
    }
  }
}
