package io.kvmesh.controller.lookup;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a chunk is worth to a router, by the location where it is. The text is {@code
 * location=weight}, separated by commas; {@code *} stands for all other locations.
 */
public final class LocationWeights {

  private static final String OTHERS = "*";
  private static final double HIGHEST = 1000;

  private final Map<String, Double> weights;
  private final double others;

  private LocationWeights(Map<String, Double> weights) {
    this.weights = weights;
    this.others = weights.getOrDefault(OTHERS, 0.0);
  }

  /**
   * Reads the text. Locations that it doesn't name, where it has no {@code *}, weigh nothing.
   *
   * @throws IllegalArgumentException if the text is anything else; the message has the rule
   */
  public static LocationWeights parse(String text) {
    Map<String, Double> weights = new LinkedHashMap<>();
    for (String part : text.split(",", -1)) {
      int equals = part.indexOf('=');
      String location = equals < 0 ? "" : part.substring(0, equals).strip();
      if (location.isEmpty()) {
        throw new IllegalArgumentException("'" + part + "' is not location=weight");
      }
      if (weights.put(location, weight(part.substring(equals + 1).strip())) != null) {
        throw new IllegalArgumentException(location + " is given twice");
      }
    }
    return new LocationWeights(weights);
  }

  private static double weight(String text) {
    try {
      double weight = Double.parseDouble(text);
      if (weight >= 0 && weight <= HIGHEST) {
        return weight;
      }
    } catch (NumberFormatException e) {
      // Answered below.
    }
    throw new IllegalArgumentException("weight '" + text + "' is not a number from 0 to 1000");
  }

  /** Weight of a chunk there. */
  public double of(String location) {
    return weights.getOrDefault(location, others);
  }
}
