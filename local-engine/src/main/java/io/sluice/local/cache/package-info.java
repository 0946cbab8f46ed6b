/** Files that a job names for its tasks, and where tasks find them. */
package io.sluice.local.cache;
