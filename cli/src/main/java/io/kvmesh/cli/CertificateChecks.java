package io.kvmesh.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Certificates of a controller that are not good for long: those that it shows by their first end,
 * those that it trusts by their last, since one that is good is enough. The alerts see the same.
 */
final class CertificateChecks {

  private static final Duration SOON = Duration.ofDays(14);
  private static final Duration AT_ONCE = Duration.ofDays(1);

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
    return found;
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
    String what =
        "%s of its SSL bundle %s %s on %s"
            .formatted(
                subject,
                Table.text(bundle.path("name")),
                left.isNegative() ? "expired" : "expires",
                end);
    String meaning = "from then on those who check it refuse the connection, Prometheus too";
    String change =
        "put a new one where spring.ssl.bundle.*.%s says; it is taken without a restart where"
                .formatted(Table.text(bundle.path("name")))
            + " reload-on-update is set";
    return Optional.of(
        left.compareTo(AT_ONCE) < 0
            ? Finding.trouble(survey.url(), what, meaning, change)
            : Finding.warning(survey.url(), what, meaning, change));
  }
}
