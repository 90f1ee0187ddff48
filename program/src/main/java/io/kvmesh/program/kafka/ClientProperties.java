package io.kvmesh.program.kafka;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.config.SslConfigs;

/**
 * What a Kafka client needs to be let in (TLS, SASL), as operators keep it: the {@code
 * client.properties} file that Kafka's own tools take.
 *
 * @param values by name; for the client to judge
 */
public record ClientProperties(Map<String, Object> values) {

  private static final int MAX_BYTES = 1 << 20;
  private static final Set<String> SINGLE = Set.of("security.protocol", "client.dns.lookup");
  private static final Set<String> GROUPS = Set.of("sasl.", "ssl.");

  public ClientProperties {
    values = Map.copyOf(values);
  }

  /**
   * The properties of a file; none if {@code file} is empty.
   *
   * @throws IOException if the file can't be read, isn't a properties file, or sets something that
   *     isn't about security: how to talk to Kafka is the program's business. No value is named,
   *     since it may be a password
   */
  public static ClientProperties read(String file) throws IOException {
    if (file.isEmpty()) {
      return new ClientProperties(Map.of());
    }
    Properties properties = load(Path.of(file));
    Set<String> others = new TreeSet<>(properties.stringPropertyNames());
    others.removeIf(ClientProperties::isAboutSecurity);
    if (!others.isEmpty()) {
      throw new IOException(
          "it may hold security.protocol, client.dns.lookup, sasl.* and ssl.* alone, and holds "
              + String.join(", ", others));
    }
    Map<String, Object> values = new HashMap<>();
    properties
        .stringPropertyNames()
        .forEach(name -> values.put(name, properties.getProperty(name).strip()));
    return new ClientProperties(values);
  }

  private static Properties load(Path file) throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException("it has more than " + MAX_BYTES + " bytes");
    }
    Properties properties = new Properties();
    try (Reader in = Files.newBufferedReader(file)) {
      properties.load(in);
    } catch (IllegalArgumentException e) {
      throw new IOException("it is not a properties file: " + e.getMessage(), e);
    }
    return properties;
  }

  private static boolean isAboutSecurity(String name) {
    return SINGLE.contains(name) || GROUPS.stream().anyMatch(name::startsWith);
  }

  /** Whether a client can be made without asking anyone, as Kerberos and OAuth have to. */
  public boolean needNobody() {
    String protocol = String.valueOf(values.getOrDefault("security.protocol", "PLAINTEXT"));
    String mechanism = String.valueOf(values.getOrDefault("sasl.mechanism", "GSSAPI"));
    return !protocol.startsWith("SASL_")
        || mechanism.equals("PLAIN")
        || mechanism.startsWith("SCRAM-");
  }

  /**
   * These and where Kafka is: host:port, separated by commas. Where TLS is spoken, certificates are
   * read again when their files change, unless the operator has a factory of their own.
   */
  public Map<String, Object> with(String bootstrapServers) {
    Map<String, Object> all = new HashMap<>(values);
    all.put("bootstrap.servers", bootstrapServers);
    if (speakTls()) {
      all.putIfAbsent(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG, ReloadingSslEngines.class);
    }
    return all;
  }

  /** Whether clients speak TLS. */
  boolean speakTls() {
    String protocol = String.valueOf(values.get("security.protocol"));
    return protocol.toUpperCase(Locale.ROOT).endsWith("SSL");
  }

  /** The files with keys and certificates as they are now; none where no TLS is spoken. */
  public StoreFiles storeFiles() {
    return StoreFiles.of(speakTls() ? values : Map.of());
  }
}
