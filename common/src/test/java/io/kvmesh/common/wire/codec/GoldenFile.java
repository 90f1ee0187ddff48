package io.kvmesh.common.wire.codec;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.stream.Stream;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A file of vectors that the real encoder wrote; its integers are exact. */
public final class GoldenFile {

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS).build();

  private GoldenFile() {}

  /** The elements of a top-level array of the file. */
  public static Stream<JsonNode> read(String file, String array) {
    return root(file).path(array).valueStream();
  }

  /** The whole file. */
  public static JsonNode root(String file) {
    try (InputStream in = GoldenFile.class.getResourceAsStream("/golden/" + file)) {
      return MAPPER.readTree(Objects.requireNonNull(in, file));
    } catch (IOException e) {
      throw new UncheckedIOException(file, e);
    }
  }
}
