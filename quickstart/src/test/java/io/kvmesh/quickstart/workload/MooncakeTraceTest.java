package io.kvmesh.quickstart.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MooncakeTraceTest {

  private static final String GOOD =
      """
      {"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [0, 7]}
      {"timestamp": 3, "input_length": 900, "output_length": 0, "hash_ids": [0, -8], "x": 1}
      """;

  @TempDir private Path folder;

  @Test
  void read_trace_givesBlocksInOrder() throws Exception {
    Workload workload = MooncakeTrace.read(file(GOOD), Integer.MAX_VALUE);

    assertThat(workload.prompts()).containsExactly(new Prompt(0, 7), new Prompt(0, -8));
    assertThat(workload.chunks()).isEqualTo(4);
    assertThat(workload.name()).isEqualTo("trace.jsonl");
  }

  @Test
  void read_limit_stopsThere() throws Exception {
    assertThat(MooncakeTrace.read(file(GOOD), 1).prompts()).containsExactly(new Prompt(0, 7));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | timestamp is missing",
        "[] | not a JSON object",
        "`` | not a JSON object",
        "{\"timestamp\": 0 | not valid JSON",
        "{\"timestamp\": 0, \"timestamp\": 1} | not valid JSON",
        "{\"timestamp\": -1} | timestamp must be a number that isn't negative",
        "{\"timestamp\": 1, \"input_length\": \"9\"} | input_length must be a number",
        "`{\"timestamp\":1,\"input_length\":1,\"output_length\":1}` | hash_ids is missing",
        "`{\"timestamp\":1,\"input_length\":1,\"output_length\":1,\"hash_ids\":3}` | must be an"
            + " array",
        "`{\"timestamp\":1,\"input_length\":1,\"output_length\":1,\"hash_ids\":[1,2.5]}` |"
            + " hash_ids[1] must be an integer of 64 bits",
        "`{\"timestamp\":1,\"input_length\":1,\"output_length\":1,\"hash_ids\":[1,1]}` |"
            + " hash_ids[1] repeats 1",
        "`{\"timestamp\":1,\"input_length\":1,\"output_length\":1,\"hash_ids\":[]} 7` | not valid",
      })
  void read_brokenLine_namesLineAndRule(String line, String rule) throws IOException {
    Path file = file(GOOD + line + "\n");

    assertThatThrownBy(() -> MooncakeTrace.read(file, Integer.MAX_VALUE))
        .isInstanceOf(TraceFormatException.class)
        .hasMessageContaining("trace.jsonl, line 3: ")
        .hasMessageContaining(rule)
        .message()
        .doesNotContain("\n");
  }

  @Test
  void read_emptyFile_isRefused() throws IOException {
    Path file = file("");

    assertThatThrownBy(() -> MooncakeTrace.read(file, 1)).hasMessageContaining("it is empty");
  }

  @Test
  void read_binaryFile_isRefused() throws IOException {
    Path file = Files.write(folder.resolve("b"), new byte[] {(byte) 0xC3, 0x28, '\n'});

    assertThatThrownBy(() -> MooncakeTrace.read(file, 1)).hasMessageContaining("UTF-8");
  }

  private Path file(String content) throws IOException {
    return Files.write(folder.resolve("trace.jsonl"), content.getBytes(StandardCharsets.UTF_8));
  }
}
