package io.kvmesh.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Certificates of a controller, and of the agents that it asked how they are, that are not good for
 * long: those that it shows by their first end, those that it trusts by their last, since one that
 * is good is enough. The alerts see the same.
 */
final class CertificateChecks {

  private static final Duration SOON = Duration.ofDays(14);
  private static final Duration AT_ONCE = Duration.ofDays(1);

  private static final String KAFKA = "kvmesh-kafka";
  private static final String REDIS = "kvmesh-redis";

  /** What a controller's own bundles are for. */
  private static final Map<String, String> WITH_STORES = Map.of(KAFKA, "Kafka", REDIS, "Redis");

  private CertificateChecks() {}

  static List<Finding> of(Survey survey) {
    List<Finding> found = new ArrayList<>();
    Instant now = Instant.now().plus(survey.clockAhead());
    for (JsonNode bundle : survey.info().path("ssl").path("bundles")) {
      ends(bundle.path("certificateChains"))
          .min(Comparator.naturalOrder())
          .flatMap(end -> finding(survey, bundle, "certificate", end, now))
          .ifPresent(found::add);
      ends(bundle.path("trustStoreCertificateChains"))
          .max(Comparator.naturalOrder())
          .flatMap(end -> finding(survey, bundle, "every certificate that is trusted", end, now))
          .ifPresent(found::add);
    }
    survey.asked().forEach((instance, command) -> ofAgents(instance, command, now, found));
    return found;
  }

  /** Those that the workers of an instance told; LMCache's and earlier agents tell none. */
  private static void ofAgents(
      String instance, JsonNode command, Instant now, List<Finding> found) {
    for (JsonNode worker : command.path("workers")) {
      String name = instance + "/" + Table.text(worker.path("rank"));
      for (JsonNode told : worker.path("certificates")) {
        Instant end = Instant.ofEpochMilli(told.path("endMillis").asLong(0));
        if (Duration.between(now, end).compareTo(SOON) < 0) {
          found.add(ofAgent(name, told, end, now));
        }
      }
    }
  }

  private static Finding ofAgent(String name, JsonNode told, Instant end, Instant now) {
    String bundle = Table.text(told.path("bundle"));
    String purpose = told.path("purpose").asString("");
    Duration left = Duration.between(now, end);
    String what =
        "%s of its SSL bundle %s (%s) %s on %s"
            .formatted(
                told.path("trusted").asBoolean(false)
                    ? "every certificate that is trusted"
                    : "certificate " + Table.text(told.path("subject")),
                bundle,
                purpose.equals("http")
                    ? "its HTTP port"
                    : purpose.equals("kafka") ? "Kafka" : "other",
                left.isNegative() ? "expired" : "expires",
                end.truncatedTo(ChronoUnit.SECONDS));
    String meaning =
        switch (purpose) {
          case "kafka" ->
              "from then on it can't connect to Kafka: its engine is served, and others find"
                  + " nothing that it stores";
          case "http" ->
              "from then on who checks it refuses the connection: Prometheus sees nothing of it";
          default -> "from then on those who check it refuse the connection";
        };
    String change =
        bundle.equals(KAFKA)
            ? "put a new one where the file says that this agent's kvmesh.kafka.properties-file"
                + " names; its next connection takes it"
            : change(bundle);
    return left.compareTo(AT_ONCE) < 0
        ? Finding.trouble(name, what, meaning, change)
        : Finding.warning(name, what, meaning, change);
  }

  /** Until when each chain is good. */
  private static Stream<Instant> ends(JsonNode chains) {
    return chains
        .valueStream()
        .flatMap(
            chain ->
                chain
                    .path("certificates")
                    .valueStream()
                    .flatMap(it -> instant(it.path("validityEnds")).stream())
                    .min(Comparator.naturalOrder())
                    .stream());
  }

  private static Optional<Instant> instant(JsonNode text) {
    try {
      return Optional.of(Instant.parse(text.asString("")));
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  private static Optional<Finding> finding(
      Survey survey, JsonNode bundle, String subject, Instant end, Instant now) {
    Duration left = Duration.between(now, end);
    if (left.compareTo(SOON) >= 0) {
      return Optional.empty();
    }
    String name = Table.text(bundle.path("name"));
    String what =
        "%s of its SSL bundle %s %s on %s"
            .formatted(subject, name, left.isNegative() ? "expired" : "expires", end);
    String meaning =
        WITH_STORES.containsKey(name)
            ? "from then on there is no connection between it and " + WITH_STORES.get(name)
            : "from then on those who check it refuse the connection, Prometheus too";
    String change = change(name);
    return Optional.of(
        left.compareTo(AT_ONCE) < 0
            ? Finding.trouble(survey.url(), what, meaning, change)
            : Finding.warning(survey.url(), what, meaning, change));
  }

  private static String change(String bundle) {
    return switch (bundle) {
      case KAFKA ->
          "put a new one where the file says that kvmesh.kafka.properties-file names; the next"
              + " connection takes it; agents have files of their own";
      case REDIS ->
          "put the new ones into the file that kvmesh.redis.ca-file names; each new connection"
              + " reads it";
      default ->
          "put a new one where spring.ssl.bundle.*.%s says; it is taken without a restart where"
                  .formatted(bundle)
              + " reload-on-update is set";
    };
  }
}
