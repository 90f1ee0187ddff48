@NullMarked
package io.kvmesh.quickstart.workload;

import org.jspecify.annotations.NullMarked;
