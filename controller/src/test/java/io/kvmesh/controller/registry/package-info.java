@NullMarked
package io.kvmesh.controller.registry;

import org.jspecify.annotations.NullMarked;
