package io.kvmesh.embedded;

import io.kvmesh.common.process.ParentWatch;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The command line of {@link KafkaMain} and {@link RedisMain}.
 *
 * @param port 0 for a free one
 */
record ServiceOptions(Path dir, int port, OptionalLong parentPid) {

  static final String USAGE = "--dir FOLDER [--port N] [" + ParentWatch.OPTION + " N]";

  /**
   * @throws IllegalArgumentException with one line that names the faulty option
   */
  static ServiceOptions parse(String[] args) {
    @Nullable Path dir = null;
    int port = 0;
    OptionalLong parentPid = OptionalLong.empty();
    for (int i = 0; i < args.length; i += 2) {
      String option = args[i];
      if (i + 1 == args.length) {
        throw new IllegalArgumentException(option + " lacks its value; options: " + USAGE);
      }
      String value = args[i + 1];
      switch (option) {
        case "--dir" -> dir = Path.of(value);
        case "--port" -> port = (int) number(option, value, 0, 65_535);
        case ParentWatch.OPTION ->
            parentPid = OptionalLong.of(number(option, value, 1, Long.MAX_VALUE));
        default ->
            throw new IllegalArgumentException("unknown option " + option + "; options: " + USAGE);
      }
    }
    if (dir == null) {
      throw new IllegalArgumentException("--dir is missing; options: " + USAGE);
    }
    return new ServiceOptions(dir, port, parentPid);
  }

  private static long number(String option, String value, long min, long max) {
    try {
      long number = Long.parseLong(value);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException _) {
      // the same message as for a number out of range
    }
    throw new IllegalArgumentException(
        "%s must be a number from %d to %d, not '%s'".formatted(option, min, max, value));
  }
}
