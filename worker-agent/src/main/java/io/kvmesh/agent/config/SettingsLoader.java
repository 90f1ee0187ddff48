package io.kvmesh.agent.config;

import io.kvmesh.common.settings.InvalidSettingsException;
import io.kvmesh.common.settings.SettingFaults;
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
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Reads and checks {@link AgentSettings}. Unlike plain binding it goes on after a fault, so that
 * one start names them all: values of the wrong type, values out of range, unknown names.
 */
public final class SettingsLoader {

  private static final String PREFIX = "kvmesh";

  private SettingsLoader() {}

  /**
   * @throws InvalidSettingsException naming every fault
   */
  public static AgentSettings load(ConfigurableEnvironment environment) {
    SettingFaults faults = new SettingFaults();
    Binder binder = Binder.get(environment);
    AgentSettings settings =
        binder.bindOrCreate(
            PREFIX, Bindable.of(AgentSettings.class), new CollectingHandler(faults));
    new SettingsRules(faults).check(settings);
    addUnknownNames(binder, faults);
    faults.throwIfAny();
    return settings;
  }

  private static void addUnknownNames(Binder binder, SettingFaults faults) {
    BindHandler lenient = new CollectingHandler(new SettingFaults());
    try {
      binder.bindOrCreate(
          PREFIX,
          Bindable.of(AgentSettings.class),
          new NoUnboundElementsBindHandler(lenient, new UnboundElementsSourceFilter()));
    } catch (BindException e) {
      if (!(e.getCause() instanceof UnboundConfigurationPropertiesException unbound)) {
        throw e;
      }
      TreeSet<String> seen = new TreeSet<>();
      unbound
          .getUnboundProperties()
          .forEach(
              property -> {
                String name = relative(property.getName());
                if (seen.add(name)) {
                  faults.add(name, property.getValue(), "is not a setting of the agent");
                }
              });
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
      return type == int.class || type == long.class ? 0 : null;
    }

    private static String form(Class<?> type) {
      return switch (type.getSimpleName()) {
        case "Duration" -> "a duration such as 200ms, 5s or 2m";
        case "DataSize" -> "a size such as 64KB or 16MB";
        case "int", "Integer", "long", "Long" -> "a whole number";
        case "Demand" -> "off, wanted or required";
        case "ExistsScope" -> "local or fleet";
        case "Allocator" -> "paged or ranges";
        case "boolean", "Boolean" -> "true or false";
        default -> "a " + type.getSimpleName();
      };
    }
  }
}
