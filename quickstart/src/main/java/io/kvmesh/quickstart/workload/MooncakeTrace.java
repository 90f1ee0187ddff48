package io.kvmesh.quickstart.workload;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the trace format of the Mooncake paper: one JSON object a line with {@code timestamp} (ms),
 * {@code input_length} and {@code output_length} (tokens) and {@code hash_ids} (the prompt's
 * blocks). Other fields are left alone; everything else that differs is an error with its line.
 */
public final class MooncakeTrace {

  private static final List<String> LENGTHS = List.of("timestamp", "input_length", "output_length");
  private static final String BLOCKS = "hash_ids";

  private final JsonMapper json =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();
  private final Path file;
  private int lineNumber;

  private MooncakeTrace(Path file) {
    this.file = file;
  }

  /**
   * Reads the first {@code limit} requests.
   *
   * @throws TraceFormatException at the first line that breaks a rule, or if there is no line
   * @throws IOException if the file can't be read
   */
  public static Workload read(Path file, int limit) throws IOException, TraceFormatException {
    List<Prompt> prompts = new MooncakeTrace(file).prompts(limit);
    return new Workload(String.valueOf(file.getFileName()), prompts);
  }

  private List<Prompt> prompts(int limit) throws IOException, TraceFormatException {
    List<Prompt> prompts = new ArrayList<>();
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        lineNumber++;
        if (prompts.size() < limit) {
          prompts.add(prompt(line));
        }
      }
    } catch (CharacterCodingException e) {
      throw new TraceFormatException(file + " is not a trace: it isn't UTF-8 text");
    }
    if (lineNumber == 0) {
      throw new TraceFormatException(file + " is not a trace: it is empty");
    }
    return prompts;
  }

  private Prompt prompt(String line) throws TraceFormatException {
    JsonNode object = object(line);
    for (String name : LENGTHS) {
      JsonNode value = field(object, name);
      if (!value.isNumber() || value.asDouble() < 0) {
        throw fault(name + " must be a number that isn't negative");
      }
    }
    JsonNode blocks = field(object, BLOCKS);
    if (!blocks.isArray()) {
      throw fault(BLOCKS + " must be an array");
    }
    return new Prompt(blockIds(blocks));
  }

  private JsonNode object(String line) throws TraceFormatException {
    JsonNode object;
    try {
      object = json.readTree(line);
    } catch (JacksonException e) {
      throw fault("not valid JSON (" + e.getOriginalMessage().lines().findFirst().orElse("") + ")");
    }
    if (object == null || !object.isObject()) {
      throw fault("not a JSON object");
    }
    return object;
  }

  private long[] blockIds(JsonNode blocks) throws TraceFormatException {
    long[] ids = new long[blocks.size()];
    Set<Long> seen = new HashSet<>();
    for (int i = 0; i < ids.length; i++) {
      JsonNode id = blocks.get(i);
      if (!id.isIntegralNumber() || !id.canConvertToLong()) {
        throw fault(BLOCKS + "[" + i + "] must be an integer of 64 bits");
      }
      ids[i] = id.longValue();
      if (!seen.add(ids[i])) {
        throw fault(BLOCKS + "[" + i + "] repeats " + ids[i] + ": equal ids mean equal prefixes");
      }
    }
    return ids;
  }

  private JsonNode field(JsonNode object, String name) throws TraceFormatException {
    JsonNode value = object.get(name);
    if (value == null) {
      throw fault(name + " is missing");
    }
    return value;
  }

  private TraceFormatException fault(String rule) {
    return new TraceFormatException(file + ", line " + lineNumber + ": " + rule);
  }
}
