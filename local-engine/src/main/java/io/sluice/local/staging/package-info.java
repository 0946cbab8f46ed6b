/** Directories for submitted files. */
package io.sluice.local.staging;
