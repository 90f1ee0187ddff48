package io.kvmesh.program.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.config.SslConfigs;

/**
 * The files with keys and certificates that a client's properties name, as they are at one moment:
 * two are equal as long as nobody has written.
 *
 * @param states a line each
 */
public record StoreFiles(List<String> states) {

  /** As they are now. */
  static StoreFiles of(Map<String, ?> properties) {
    return new StoreFiles(
        Stream.of(
                SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG, SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG)
            .filter(name -> properties.get(name) instanceof String)
            .map(name -> state(String.valueOf(properties.get(name))))
            .toList());
  }

  private static String state(String file) {
    try {
      Path path = Path.of(file);
      return "%s of %s with %d bytes"
          .formatted(file, Files.getLastModifiedTime(path), Files.size(path));
    } catch (IOException | InvalidPathException e) {
      return file + ", which can't be read";
    }
  }

  /** Whether there is none to look at. */
  public boolean isEmpty() {
    return states.isEmpty();
  }

  @Override
  public String toString() {
    return String.join(", ", states);
  }
}
