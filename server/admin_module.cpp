// admin_module.cpp: the one name that leat_admin.so exports.
#include "server/admin_http.h"

extern "C" __attribute__((visibility("default"))) leat::Result<std::unique_ptr<leat::AdminHttp>>* leat_start_admin_http(
    leat::AdminQuestions& questions, const leat::AdminHttpOptions& options) {
  return new leat::Result<std::unique_ptr<leat::AdminHttp>>(leat::start_admin_http(questions, options));
}
