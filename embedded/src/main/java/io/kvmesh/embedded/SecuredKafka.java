package io.kvmesh.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * An {@link EmbeddedKafka} as an operator runs it who trusts nobody: clients come by TLS, with a
 * name and a password, and may do what they were allowed, each other thing refused.
 */
public final class SecuredKafka implements AutoCloseable {

  private static final String ADMIN = "admin";

  private final Path dir;
  private final EmbeddedKafka kafka;
  private final SelfSigned tls;

  private SecuredKafka(Path dir, EmbeddedKafka kafka, SelfSigned tls) {
    this.dir = dir;
    this.kafka = kafka;
    this.tls = tls;
  }

  /**
   * Starts one.
   *
   * @param dir holds its data and keys; must exist
   * @param users who has a name and a password; none may do anything yet
   */
  public static SecuredKafka start(Path dir, List<String> users)
      throws IOException, InterruptedException, GeneralSecurityException {
    return start(dir, 0, users);
  }

  /** Starts one, with a certificate of its own, at a port that another one has left. */
  public static SecuredKafka start(Path dir, int port, List<String> users)
      throws IOException, InterruptedException, GeneralSecurityException {
    SelfSigned tls = SelfSigned.create(dir);
    return new SecuredKafka(
        dir, EmbeddedKafka.start(dir.resolve("kafka"), port, broker(tls, users)), tls);
  }

  /** The file with the certificate that it shows, by which its clients know it. */
  public Path certificate() {
    return tls.certificate();
  }

  private static Properties broker(SelfSigned tls, List<String> users) throws IOException {
    Properties p = new Properties();
    p.setProperty("listener.security.protocol.map", "PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT");
    p.setProperty("ssl.keystore.type", "PEM");
    p.setProperty("ssl.keystore.certificate.chain", Files.readString(tls.certificate()));
    p.setProperty("ssl.keystore.key", Files.readString(tls.key()));
    p.setProperty("ssl.truststore.type", "PEM");
    p.setProperty("ssl.truststore.certificates", Files.readString(tls.certificate()));
    p.setProperty("sasl.enabled.mechanisms", "PLAIN");
    p.setProperty("sasl.mechanism.inter.broker.protocol", "PLAIN");
    p.setProperty("listener.name.plaintext.plain.sasl.jaas.config", brokerJaas(users));
    p.setProperty(
        "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
    p.setProperty("super.users", "User:" + ADMIN + ";User:ANONYMOUS");
    return p;
  }

  private static String brokerJaas(List<String> users) {
    StringBuilder jaas = new StringBuilder(jaas(ADMIN));
    List<String> all = new ArrayList<>(users);
    all.add(ADMIN);
    for (String user : all) {
      jaas.append(" user_%s=\"%s\"".formatted(user, password(user)));
    }
    return jaas + ";";
  }

  private static String jaas(String user) {
    return "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s\""
        .formatted(user, password(user));
  }

  private static String password(String user) {
    return "password of " + user;
  }

  /** Where clients connect. */
  public String bootstrapServers() {
    return kafka.bootstrapServers();
  }

  private Map<String, String> client(String user) {
    return Map.of(
        "security.protocol",
        "SASL_SSL",
        "sasl.mechanism",
        "PLAIN",
        "sasl.jaas.config",
        jaas(user) + ";",
        "ssl.truststore.type",
        "PEM",
        "ssl.truststore.location",
        tls.certificate().toString());
  }

  /** A file with what a user's client needs, as Kafka's own tools take it. */
  public Path clientProperties(String user) throws IOException {
    StringBuilder lines = new StringBuilder();
    client(user)
        .forEach((name, value) -> lines.append(name).append('=').append(value).append('\n'));
    return Files.writeString(dir.resolve(user + ".properties"), lines);
  }

  /** Lets a user do something with all resources of a kind whose names begin so. */
  public void allow(String user, ResourceType type, String prefix, AclOperation... operations)
      throws InterruptedException, ExecutionException {
    ResourcePattern resources = new ResourcePattern(type, prefix, PatternType.PREFIXED);
    List<AclBinding> rules = new ArrayList<>();
    for (AclOperation operation : operations) {
      rules.add(
          new AclBinding(
              resources,
              new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW)));
    }
    try (Admin admin = admin()) {
      admin.createAcls(rules).all().get();
    }
  }

  /** A client that may do everything; the caller closes it. */
  public Admin admin() {
    Map<String, Object> properties = new HashMap<>(client(ADMIN));
    properties.put("bootstrap.servers", bootstrapServers());
    return Admin.create(properties);
  }

  @Override
  public void close() {
    kafka.close();
  }
}
