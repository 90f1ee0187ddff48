package io.kvmesh.program.settings;

import io.kvmesh.common.settings.InvalidSettingsException;
import io.kvmesh.common.settings.SettingFaults;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Reads the settings below {@code kvmesh} into a record. Unlike plain binding it goes on after a
 * fault, so that one start names them all: values of the wrong type, values out of range, unknown
 * names. One thread, once.
 */
public final class SettingsReader {

  private static final String PREFIX = "kvmesh";

  private final Binder binder;
  private final SettingFaults faults = new SettingFaults();

  private SettingsReader(Binder binder) {
    this.binder = binder;
  }

  /** The rules between the values of a {@code T}; what breaks one is added to the faults. */
  public interface Rules<T> {
    void check(T settings, SettingFaults faults);
  }

  /**
   * Reads and checks.
   *
   * @param type a record with defaults for what may be missing
   * @param program as in "is not a setting of the controller"
   * @throws InvalidSettingsException naming every fault
   */
  public static <T> T read(
      ConfigurableEnvironment environment, Class<T> type, String program, Rules<T> rules) {
    return new SettingsReader(Binder.get(environment)).read(type, program, rules);
  }

  private <T> T read(Class<T> type, String program, Rules<T> rules) {
    T settings = binder.bindOrCreate(PREFIX, Bindable.of(type), new CollectingHandler(faults));
    rules.check(settings, faults);
    addUnknownNames(type, program);
    faults.throwIfAny();
    return settings;
  }

  private void addUnknownNames(Class<?> type, String program) {
    BindHandler lenient = new CollectingHandler(new SettingFaults());
    try {
      binder.bindOrCreate(
          PREFIX,
          Bindable.of(type),
          new NoUnboundElementsBindHandler(lenient, new UnboundElementsSourceFilter()));
    } catch (BindException e) {
      if (!(e.getCause() instanceof UnboundConfigurationPropertiesException unbound)) {
        throw e;
      }
      TreeSet<String> seen = new TreeSet<>();
      for (ConfigurationProperty property : unbound.getUnboundProperties()) {
        String name = relative(property.getName());
        if (seen.add(name)) {
          faults.add(name, property.getValue(), "is not a setting of the " + program);
        }
      }
    }
  }

  private static String relative(ConfigurationPropertyName name) {
    return name.toString().substring(PREFIX.length() + 1);
  }

  /** Notes a value that can't be converted and lets the default stand in for it. */
  private static final class CollectingHandler extends AbstractBindHandler {

    private final SettingFaults faults;

    CollectingHandler(SettingFaults faults) {
      this.faults = faults;
    }

    @Override
    public @Nullable Object onFailure(
        ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
        throws Exception {
      if (name.getNumberOfElements() == 1) {
        throw error;
      }
      var property = context.getConfigurationProperty();
      Object value = property == null ? "" : String.valueOf(property.getValue());
      Class<?> type = target.getType().resolve(Object.class);
      faults.add(relative(name), value, "must be " + form(type));
      return standIn(type);
    }

    private static @Nullable Object standIn(Class<?> type) {
      if (type == boolean.class) {
        return false;
      }
      if (type == double.class) {
        return 0.0;
      }
      return type.isPrimitive() ? 0 : null;
    }

    private static String form(Class<?> type) {
      return switch (type.getSimpleName()) {
        case "Duration" -> "a duration such as 200ms, 5s or 2m";
        case "DataSize" -> "a size such as 64KB or 16MB";
        case "int", "Integer", "long", "Long" -> "a whole number";
        case "double", "Double" -> "a number";
        case "boolean", "Boolean" -> "true or false";
        default -> type.isEnum() ? choice(type.getEnumConstants()) : "a " + type.getSimpleName();
      };
    }

    /** As they are written in settings: "off, wanted or required". */
    private static String choice(Object[] constants) {
      List<String> names =
          Arrays.stream(constants).map(it -> it.toString().toLowerCase(Locale.ROOT)).toList();
      int last = names.size() - 1;
      return String.join(", ", names.subList(0, last)) + " or " + names.get(last);
    }
  }
}
