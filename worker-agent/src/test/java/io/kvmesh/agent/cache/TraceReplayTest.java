package io.kvmesh.agent.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvmesh.agent.cache.policy.PolicyName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An hour of real chat traffic through caches in this JVM, with a directory that is always right:
 * what comes out was worked out by an independent program.
 */
class TraceReplayTest {

  /** From the module's folder; the trace isn't ours to ship. */
  private static final Path TRACE = Path.of("../../shared/traces/conversation_trace.jsonl");

  @ParameterizedTest
  @CsvSource({
    "1500, 1, 1000, LRU, 1642, 0, 40060, 39060, 1000",
    "1500, 1, 1000, FIFO, 1642, 0, 40060, 39060, 1000",
    "1500, 1, 1000, LFU, 1729, 0, 39973, 38973, 1000",
    "1500, 1, 1000, MRU, 1862, 0, 39840, 38803, 1000",
    "1500, 4, 1000, LRU, 1974, 1394, 38334, 35728, 4000",
    "1500, 3, 2000, LRU, 2652, 2813, 36237, 33050, 6000",
    "1500, 4, 20000, LRU, 4895, 6173, 30634, 0, 36807",
  })
  void part(
      int requests,
      int workers,
      int chunks,
      PolicyName policy,
      long local,
      long peer,
      long miss,
      long evictions,
      long resident)
      throws IOException, InterruptedException {
    List<long[]> trace = read().limit(requests).toList();
    assertThat(TraceReplay.run(trace, workers, chunks, policy))
        .isEqualTo(new TraceReplay.Outcome(local, peer, miss, evictions, resident));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 5000, LRU, 31877, 0, 256623, 251623, 5000",
    "1, 5000, FIFO, 30507, 0, 257993, 252669, 5000",
    "1, 5000, LFU, 26626, 0, 261874, 256874, 5000",
    "1, 5000, MRU, 14609, 0, 273891, 267519, 5000",
    "4, 5000, LRU, 34919, 44146, 209435, 233581, 20000",
    "4, 20000, LRU, 52805, 50876, 184819, 155695, 80000",
  })
  void all(
      int workers,
      int chunks,
      PolicyName policy,
      long local,
      long peer,
      long miss,
      long evictions,
      long resident)
      throws IOException, InterruptedException {
    part(Integer.MAX_VALUE, workers, chunks, policy, local, peer, miss, evictions, resident);
  }

  /** Never badly beaten by the better of lru and s3fifo; here it is better than both. */
  @ParameterizedTest
  @CsvSource({"1000, 20000", "5000, 44000", "20000, 85000", "50000, 102300"})
  void adaptive_isBetterThanLruAndS3Fifo(int chunks, long atLeast)
      throws IOException, InterruptedException {
    List<long[]> trace = read().toList();
    long adaptive = TraceReplay.run(trace, 1, chunks, PolicyName.ADAPTIVE).local();
    long lru = TraceReplay.run(trace, 1, chunks, PolicyName.LRU).local();
    long s3fifo = TraceReplay.run(trace, 1, chunks, PolicyName.S3FIFO).local();
    assertThat(adaptive)
        .as("lru %d, s3fifo %d", lru, s3fifo)
        .isGreaterThan(Math.max(lru, s3fifo))
        .isGreaterThanOrEqualTo(atLeast);
  }

  @Test
  void trace_hasTheSizeThatTheFiguresAreFor() throws IOException {
    List<long[]> trace = read().toList();
    assertThat(trace).hasSize(12_031);
    assertThat(trace.stream().mapToInt(blocks -> blocks.length).sum()).isEqualTo(288_500);
  }

  private static Stream<long[]> read() throws IOException {
    assumeTrue(Files.exists(TRACE), "skipped: there is no " + TRACE + " to replay");
    return Files.readAllLines(TRACE).stream().map(TraceReplayTest::blocks);
  }

  private static long[] blocks(String line) {
    int start = line.indexOf('[', line.indexOf("\"hash_ids\""));
    String list = line.substring(start + 1, line.indexOf(']', start)).strip();
    return list.isEmpty()
        ? new long[0]
        : Arrays.stream(list.split(",")).map(String::strip).mapToLong(Long::parseLong).toArray();
  }
}
