/** Where clients put what they submit. */
package io.sluice.local.staging;
