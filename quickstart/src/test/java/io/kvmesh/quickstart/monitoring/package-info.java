/** The shipped dashboards, alerts and runbook, held against the running programs and Prometheus. */
@NullMarked
package io.kvmesh.quickstart.monitoring;

import org.jspecify.annotations.NullMarked;
