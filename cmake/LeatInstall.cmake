# What `cmake --install` puts down: the two programs, leatd's admin module, the documents and the licence. The client
# library joins them when its interface is settled.
foreach(program leatd leat)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  endif()
endforeach()
if(TARGET leat_admin)
  install(TARGETS leat_admin LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/leat")
endif()
install(FILES README.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" FILES_MATCHING PATTERN "*.md")
