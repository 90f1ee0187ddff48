package io.kvmesh.quickstart.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandLineTest {

  @Test
  void parse_nothing_givesDefaults() throws UsageException {
    assertThat(CommandLine.parse(List.of())).contains(Options.defaults());
  }

  @Test
  void parse_everyOption_isRead() throws UsageException {
    String line =
        """
        --trace=a.jsonl --controllers 2 --workers 3 --chunks=2000 --policy lfu --requests 5 \
        --page-bytes 1024 --json o.json --work-dir w --key-file k --rest-port 9000 --controller-pull-port 1 \
        --stay --keep --controller-reply-port 2 --kafka-port 3 --redis-port 4\
        """;

    assertThat(CommandLine.parse(List.of(line.split(" "))))
        .contains(
            new Options(
                Path.of("a.jsonl"),
                2,
                3,
                2_000,
                Policy.LFU,
                5,
                1_024,
                Path.of("o.json"),
                Path.of("w"),
                Path.of("k"),
                new Ports(9_000, 1, 2, 3, 4),
                true,
                true,
                List.of()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--simulate | 1000 5000 20000 50000",
        "--simulate --sizes 7 --trace t --requests 3 --json j | 7",
        "--sizes=9,10000000 --simulate | 9 10000000"
      })
  void parse_simulate_givesSizes(String line, String sizes) throws UsageException {
    assertThat(CommandLine.parse(List.of(line.split(" "))).orElseThrow().simulatedSizes())
        .isEqualTo(Stream.of(sizes.split(" ")).map(Integer::valueOf).toList());
  }

  @ParameterizedTest
  @CsvSource({
    "--help",
    "--stay --help",
    "-h",
  })
  void parse_help_givesNoOptions(String line) throws UsageException {
    assertThat(CommandLine.parse(List.of(line.split(" ")))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--wrong | unknown option '--wrong' (--help lists them)",
        "stay | unknown option 'stay' (--help lists them)",
        "--work 3 | unknown option '--work' (--help lists them)",
        "--workers | option --workers needs a value",
        "--workers --stay | option --workers needs a value",
        "--controllers 9 | option --controllers must be a number from 1 to 8, not '9'",
        "--workers 0 | option --workers must be a number from 1 to 64, not '0'",
        "--workers 65 | option --workers must be a number from 1 to 64, not '65'",
        "--workers x | option --workers must be a number from 1 to 64, not 'x'",
        "--chunks 1e3 | option --chunks must be a number from 1 to 10000000, not '1e3'",
        "--rest-port 65536 | option --rest-port must be a number from 0 to 65535, not '65536'",
        "--policy LRU | option --policy must be one of lru, fifo, lfu, mru, s3fifo, adaptive, not"
            + " 'LRU'",
        "--sizes 5 | option --sizes is for --simulate only",
        "--simulate --workers 2 | option --workers has no meaning with --simulate",
        "--simulate --sizes 5,, | option --sizes must be a number from 1 to 10000000, not ''",
        "--simulate --sizes 5,0 | option --sizes must be a number from 1 to 10000000, not '0'",
        "--stay=yes | option --stay takes no value",
        "--stay --stay | option --stay is given twice",
        "--chunks 1 --chunks 1 | option --chunks is given twice",
      })
  void parse_badOption_isNamed(String line, String message) {
    assertThatThrownBy(() -> CommandLine.parse(List.of(line.split(" "))))
        .isInstanceOf(UsageException.class)
        .hasMessage(message);
  }

  @Test
  void help_namesEveryOption() {
    assertThat(CommandLine.help())
        .contains("--trace", "--workers", "--chunks", "--policy", "--requests", "--page-bytes")
        .contains("--json", "--stay", "--keep", "--work-dir", "--rest-port", "--help")
        .contains("--simulate", "--sizes");
  }
}
